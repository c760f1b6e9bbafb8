/**
 * Frees the memory of bytes that are no longer used. They cannot be read afterwards. This memory is outside V8's heap,
 * and V8 would collect its whole heap after each 64 MB of it. Bytes in shared memory remain.
 */
export function releaseMemory({ buffer, length }: Buffer): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== length) return
  if ('transfer' in buffer) buffer.transfer(0)
  // Node.js 20 only detaches the bytes, so that a later read fails there, too.
  else structuredClone(buffer, { transfer: [buffer] })
}
