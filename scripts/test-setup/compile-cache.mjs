// Lets the processes of the tests share compiled code. Each test file, and each gateway that a test starts, is a process
// that loads the same few hundred modules; with the cache only the first process strips their types and compiles them.
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder that `bin/foreword.js` uses by default. A process reads the variable as it starts. */
export function globalSetup() {
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
}
