"""Load for memcached: memcached.py SOCKET requests|seconds N

Connections take turns with batches of commands; every answer is checked against what memcached may say.
"""

import socket
import sys
import time

path, unit, amount = sys.argv[1], sys.argv[2], int(sys.argv[3])
CONNECTIONS, BATCH = 8, 100


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection, connection.makefile("rb")


def value(number):
    return b"%d " % number * (number % 97 + 1)


def exchange(connection, answers, start):
    """One batch; returns the number of values found."""
    commands, found = [], 0
    for i in range(start, start + BATCH):
        key = i * 7919 % 20011
        data = value(key)
        commands.append(b"set k%d 0 0 %d\r\n%s\r\n" % (key, len(data), data))
        commands.append(b"get k%d\r\n" % key)
        commands.append(b"incr counter 1\r\n")
        commands.append(b"delete k%d\r\n" % (key + 1))
    connection.sendall(b"".join(commands))
    for i in range(start, start + BATCH):
        key = i * 7919 % 20011
        assert answers.readline() == b"STORED\r\n"
        line = answers.readline()
        if line != b"END\r\n":  # another connection may have deleted it
            found += 1
            assert answers.readline()[:-2] == value(key), key
            assert answers.readline() == b"END\r\n"
        assert answers.readline().strip().isdigit()
        assert answers.readline() in (b"DELETED\r\n", b"NOT_FOUND\r\n")
    return found


connections = [connect() for _ in range(CONNECTIONS)]
connections[0][0].sendall(b"set counter 0 0 1\r\n0\r\n")
assert connections[0][1].readline() == b"STORED\r\n"
end = time.monotonic() + amount
rounds = 0
while time.monotonic() < end if unit == "seconds" else rounds * BATCH * 4 < amount:
    connection, answers = connections[rounds % CONNECTIONS]
    exchange(connection, answers, rounds * BATCH)
    rounds += 1
    if rounds % 100 == 0:  # some clients leave, others come
        answers.close()
        connection.close()
        connections[(rounds - 1) % CONNECTIONS] = connect()
if unit == "requests":
    connections[1][0].sendall(b"get counter\r\n")
    print(rounds, connections[1][1].readline(), connections[1][1].readline())
