// The test runner follows every promise of a test file, to know which test an error that nothing catches belongs to. That
// takes a quarter of the time of all tests. With this module it follows timers, connections and programs alone: such an
// error in a promise still fails the file and is shown, but without the name of its test. `node --test FILE` names it.
import hooks from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'

const { createHook } = hooks

if (isMainThread) {
  // The first import of `node:test` makes the hook of the runner.
  hooks.createHook = (callbacks) => {
    hooks.createHook = createHook
    return createHook({ ...callbacks, trackPromises: false })
  }
}
