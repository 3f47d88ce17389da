// The floor of a start: a server of HTTP with an open database and nothing else. It prints a line when it listens.
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(process.argv[2])
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS turns (id INTEGER PRIMARY KEY) STRICT')
createServer((_, response) => response.end()).listen(0, '127.0.0.1', () => process.stdout.write('{}\n'))
