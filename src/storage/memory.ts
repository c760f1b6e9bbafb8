/**
 * Frees the memory of bytes that nobody uses any more, and which cannot be read from then on. It lies outside of the heap
 * of V8, which otherwise goes through all of its heap after each 64 MB of it. Bytes that share their memory with others
 * stay.
 */
export function releaseMemory({ buffer, length }: Buffer): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== length) return
  if ('transfer' in buffer) buffer.transfer(0)
  // Node.js 20 only takes them away, so that whoever still reads them is noticed there, too.
  else structuredClone(buffer, { transfer: [buffer] })
}
