/** Ids are UUIDs of version 7: they begin with the time at which they were made, so they sort by it. */

/** Below every id made from this moment on, and above every id made before it. */
export function idAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
