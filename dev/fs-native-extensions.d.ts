/** The one function that is used of a library without types of its own. */
declare module 'fs-native-extensions' {
  /** Whether this process now holds the lock on the open file. */
  export function tryLock(descriptor: number): boolean
}
