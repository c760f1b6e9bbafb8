/** Prints where a process turns on async hooks, which slow down promises. Loaded before the code of the process. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks'

const report = (target, name) => {
  const original = target[name]
  target[name] = function (...given) {
    console.log(new Error(`async hooks: ${name}`).stack)
    return original.apply(this, given)
  }
}
report(AsyncLocalStorage.prototype, 'run')
report(AsyncLocalStorage.prototype, 'enterWith')
report(Object.getPrototypeOf(createHook({})), 'enable')
