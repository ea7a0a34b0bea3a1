def write(results, target):
    pass
