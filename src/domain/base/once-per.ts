/** Computes a value once for each object, or for each object and text. */

/** Returns the function with stored results. It must derive its result from fields that belong to the object. */
export function oncePer<K extends object, A extends readonly unknown[], T extends NonNullable<unknown>>(
  compute: (key: K, ...more: A) => T,
): (key: K, ...more: A) => T {
  const known = new WeakMap<K, T>()
  return (key, ...more) => {
    const value = known.get(key) ?? compute(key, ...more)
    known.set(key, value)
    return value
  }
}

/** Returns the function with stored results for each object and text. */
export function oncePerText<K extends object, T extends NonNullable<unknown>>(
  compute: (key: K, text: string) => T,
): (key: K, text: string) => T {
  const known = oncePer((_key: K) => new Map<string, T>())
  return (key, text) => {
    const values = known(key)
    const value = values.get(text) ?? compute(key, text)
    values.set(text, value)
    return value
  }
}
