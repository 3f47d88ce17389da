// Lets the processes of the tests share compiled code. Each test file, and each gateway that a test starts, is a process
// that loads the same few hundred modules; with the cache only the first process strips their types and compiles them.
//
// It is the folder that `bin/foreword.js` uses by default. The processes of the test files read the variable as they start.
import { tmpdir } from 'node:os'
import { join } from 'node:path'

process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
