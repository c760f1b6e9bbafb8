/** A camera for pages in tests: it shows a moving pattern, or fails in one of the ways in which cameras do. */
import type { BrowserContext, Page } from 'playwright-core'

type Camera = 'moving' | 'blurred' | 'dark' | 'denied' | 'none' | 'silent'

/** What the page asked for is in `asked`; tracks that run and tracks that were stopped are counted over its pages. */
export const fakeCamera = (context: BrowserContext, camera: Camera = 'moving'): Promise<unknown> =>
  context.addInitScript((kind: Camera) => {
    const count = (name: string) =>
      sessionStorage.setItem(name, String(Number(sessionStorage.getItem(name)) + 1))

    function draw(canvas: HTMLCanvasElement, nth: number) {
      const { width, height } = canvas
      const context = canvas.getContext('2d')
      if (!context) return
      if (kind === 'blurred') {
        const gradient = context.createLinearGradient(0, 0, width, height)
        gradient.addColorStop(0, '#888')
        gradient.addColorStop(1, '#ccc')
        context.fillStyle = gradient
        context.fillRect(0, 0, width, height)
        return
      }
      context.fillStyle = kind === 'dark' ? '#000' : '#999'
      context.fillRect(0, 0, width, height)
      context.fillStyle = kind === 'dark' ? '#333' : '#fff'
      for (let y = 0; y < height; y += 20)
        for (let x = (y + nth * 4) % 40; x < width; x += 40) context.fillRect(x, y, 20, 20)
    }

    function open() {
      const canvas = document.createElement('canvas')
      canvas.width = 1_280
      canvas.height = 960
      // Without a context there is never a frame.
      if (kind !== 'silent') {
        let nth = 0
        draw(canvas, 0)
        setInterval(() => draw(canvas, ++nth), 100)
      }
      const stream = canvas.captureStream()
      for (const track of stream.getTracks()) {
        count('running')
        const stop = track.stop.bind(track)
        track.stop = () => {
          if (track.readyState === 'live') count('stopped')
          stop()
        }
      }
      return stream
    }

    navigator.mediaDevices.getUserMedia = async (asked) => {
      sessionStorage.setItem('asked', JSON.stringify(asked))
      if (kind === 'denied') throw new DOMException('', 'NotAllowedError')
      if (kind === 'none') throw new DOMException('', 'NotFoundError')
      return open()
    }
  }, camera)

/** How many tracks ran in this tab, and how many of them were stopped. */
export const tracksOf = (page: Page) =>
  page.evaluate(() => ({
    running: Number(sessionStorage.getItem('running')),
    stopped: Number(sessionStorage.getItem('stopped')),
  }))

/** Which side of the device the page asked for. */
export const sideOf = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.parse(sessionStorage.getItem('asked') ?? '{}').video.facingMode)
