/** Computes a value once for each object. */

/** Returns the function with stored results. It must derive its result from fields that belong to the object. */
export function oncePer<K extends object, A extends readonly unknown[], T extends object>(
  compute: (key: K, ...more: A) => T,
): (key: K, ...more: A) => T {
  const known = new WeakMap<K, T>()
  return (key, ...more) => {
    const value = known.get(key) ?? compute(key, ...more)
    known.set(key, value)
    return value
  }
}
