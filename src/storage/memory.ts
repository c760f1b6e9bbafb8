/**
 * Frees the memory of bytes that are no longer needed. The bytes cannot be read afterwards. Their memory is outside
 * V8's heap, and V8 would collect its whole heap after each 64 MB of such memory. Bytes in shared memory are not freed.
 */
export function releaseMemory({ buffer, length }: Buffer): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== length) return
  buffer.transfer(0)
}
