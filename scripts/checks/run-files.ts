// Runs the test files that it is given in this process: the tests of one file after those of another.
import { resolve } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'

// Some tests wait for timers that keep no process alive. Tests run in the order of their registration.
const alive = setInterval(() => {}, 60_000)
for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    test(`${file} can be loaded`, () => {
      throw error
    })
  }
}
test('the tests of all files have ended', () => clearInterval(alive))
