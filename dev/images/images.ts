/** Reads the images that Gatehouse builds on or starts, and pins them by digest. */

/** The files that name images. */
export const IMAGE_FILES = ['Dockerfile', 'docker-compose.yml']

/** An image from a registry in a Dockerfile or a Compose file. Stages and images that are built here have no such tag. */
const IMAGE = /(?<=^FROM |^\s*image: )[\w./-]+:(?!local\b)[\w.-]+(?:@sha256:[\da-f]{64})?(?=\s|$)/gm

export const imagesIn = (text: string): string[] => [...new Set(text.match(IMAGE) ?? [])]

export const isPinned = (image: string): boolean => image.includes('@sha256:')

/** Replaces each tag by the tag with its digest, also if an image already has an older digest. */
export const pinImages = (text: string, digestOf: (tag: string) => string): string =>
  text.replace(IMAGE, (image) => {
    const [tag = ''] = image.split('@')
    return `${tag}@${digestOf(tag)}`
  })
