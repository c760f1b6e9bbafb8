/** Decodes images and PDFs in fair shares, because each takes a process and several hundred megabytes of memory. */
import type { Share } from '../../process/fair-slots.ts'
import { decode } from '../../storage/decoder.ts'
import { createSharedLimit } from './concurrency-limit.ts'
import { SLOTS } from './table.ts'

const decoding = createSharedLimit(SLOTS.decoding)

/** Runs the work, which may decode, when a slot is free. Throws `service_unavailable` if the wait is too long. */
export const decodeFairly = <T>(share: Share, work: (decodeNow: typeof decode) => Promise<T>): Promise<T> =>
  decoding.run(share, () => work(decode))
