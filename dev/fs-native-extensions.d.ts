/** Declares the only function that is used from this untyped library. */
declare module 'fs-native-extensions' {
  /** Returns true if this process now has the lock on the open file. */
  export function tryLock(descriptor: number): boolean
}
