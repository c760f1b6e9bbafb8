/** Reads the free space of the disks that store files. */
import { statfs } from 'node:fs/promises'
import { parseBlobUrls } from './blob-url.ts'
import type { Config } from './config.ts'

/** Returns the folders of stored files with the free part of their disks, 0 to 1, or null if it cannot be read. */
export const readFreeSpace = ({ BLOB_URL }: Pick<Config, 'BLOB_URL'>) =>
  Promise.all(
    parseBlobUrls(BLOB_URL)
      .filter((each) => each.kind === 'folder')
      .map(async ({ path }) => [path, await freeRatio(path)] as const),
  )

const freeRatio = (path: string): Promise<number | null> =>
  statfs(path).then(
    ({ bavail, blocks }) => bavail / blocks,
    () => null,
  )
