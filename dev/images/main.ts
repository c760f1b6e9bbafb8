/**
 * Command: `npm run images`. Asks the registries for the digests of all images, and pins the images by them. With
 * `--check`, only lists images without a digest, and exits with 1 if there are any.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { IMAGE_FILES, imagesIn, isPinned, pinImages } from './images.ts'

const urlOf = (file: string) => new URL(`../../${file}`, import.meta.url)

/** Returns the digest of the image for all architectures. */
function digestOf(tag: string): string {
  const args = ['buildx', 'imagetools', 'inspect', tag, '--format', '{{.Manifest.Digest}}']
  const digest = execFileSync('docker', args, { encoding: 'utf8' }).trim()
  if (!/^sha256:[\da-f]{64}$/.test(digest)) throw new Error(`Docker returned no digest of ${tag}: ${digest}`)
  console.log(`${tag}@${digest}`)
  return digest
}

for (const file of IMAGE_FILES) {
  const text = readFileSync(urlOf(file), 'utf8')
  if (!process.argv.includes('--check')) {
    writeFileSync(urlOf(file), pinImages(text, digestOf))
    continue
  }
  const open = imagesIn(text).filter((image) => !isPinned(image))
  for (const image of open) console.error(`${file}: ${image} has no digest. Run npm run images.`)
  if (open.length > 0) process.exitCode = 1
}
