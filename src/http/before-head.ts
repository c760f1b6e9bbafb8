/** Runs work directly before the head of a response is written. */
import type { Response } from 'express'

export function beforeHead(res: Response, work: () => void): void {
  const { writeHead } = res
  res.writeHead = (...args: unknown[]) => {
    work()
    return writeHead.apply(res, args as never)
  }
}
