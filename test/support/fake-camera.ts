/** A camera for pages in tests, which shows a moving pattern or fails as a real camera can. */
import type { BrowserContext, Page } from 'playwright-core'

type Camera = 'moving' | 'blurred' | 'dark' | 'denied' | 'none' | 'silent'

/** Stores the constraints of the page in `asked`, and counts running and stopped tracks across its pages. */
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
      // Without a canvas context, there are no frames.
      if (kind !== 'silent') {
        let nth = 0
        draw(canvas, 0)
        // The dark image stands still, so that pictures of the page are equal.
        setInterval(() => draw(canvas, kind === 'dark' ? 0 : ++nth), 100)
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

/** Ends the running tracks as a locked phone does. */
export const endTracks = (page: Page) =>
  page.evaluate(() => {
    const { srcObject } = document.querySelector('video') as HTMLVideoElement
    for (const track of (srcObject as MediaStream).getTracks()) track.dispatchEvent(new Event('ended'))
  })

/** Returns the number of started and stopped tracks in this tab. */
export const tracksOf = (page: Page) =>
  page.evaluate(() => ({
    running: Number(sessionStorage.getItem('running')),
    stopped: Number(sessionStorage.getItem('stopped')),
  }))

/** Returns the side of the device that the page requested. */
export const sideOf = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.parse(sessionStorage.getItem('asked') ?? '{}').video.facingMode)
