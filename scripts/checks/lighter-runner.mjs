// What the test runner need not do in a check.
//
// It follows every promise of a test file, to know which test an error that nothing catches belongs to. That takes a quarter of
// the time of all tests. With this module it follows timers, connections and programs alone: such an error in a promise still
// fails the file and is shown, but without the name of its test. `node --test FILE` names it.
//
// It keeps every test until the last one has ended, and with it what its `t.after` closes. A process of 150 tests held 400 MB of
// gateways that had been stopped, which each collection of garbage and each start of a program went through.
import hooks from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'

const { createHook } = hooks

if (isMainThread) {
  // The first import of `node:test` makes the hook of the runner.
  hooks.createHook = (callbacks) => {
    hooks.createHook = createHook
    return createHook({ ...callbacks, trackPromises: false })
  }
  const { beforeEach } = await import('node:test')
  let isLighter = false
  beforeEach((context) => {
    if (isLighter) return
    isLighter = true
    forgetWhatHasRun(Object.getPrototypeOf(context))
  })
}

/** Whatever `after` is given is called once, and held by nobody after that. */
function forgetWhatHasRun(prototype) {
  const { after } = prototype
  prototype.after = function (callback, options) {
    let left = callback
    const once = () => {
      const last = left
      left = undefined
      return last?.()
    }
    return after.call(this, once, options)
  }
}
