/** Use cases for the inspection of people's photos and documents, before they are attached. */
import { recordPhotoInspection } from '../../db/files/file.ts'
import { type Problem, RequestRefused } from '../../domain/base/errors.ts'
import type { UploadedFile } from '../../domain/base/file.ts'
import type { Ref } from '../../domain/entity/entity.ts'
import { acceptsPdf, type PersonFile } from '../../domain/identification/person-form.ts'
import type { PhotoInspection, PhotoRefusal } from '../../storage/photo.ts'
import { isUnreadable } from '../../storage/refusal.ts'
import type { Deps } from '../base/deps.ts'
import { decodeFairly } from '../limits/decoding.ts'

const MESSAGES: Readonly<Record<PhotoRefusal, string>> = {
  unreadable: 'The file cannot be opened. Upload a JPEG or PNG, or a complete PDF without a password.',
  small: 'The shorter side of the image has fewer than 600 pixels. Upload a larger image.',
  large: 'The image has more than 50 million pixels. Upload a smaller image.',
  animated: 'The image is animated. Upload an image with one frame.',
}

/** Thrown if a photo is unreadable, animated, too small or too large. */
export class PhotoRefused extends RequestRefused {
  readonly reason: PhotoRefusal
  constructor(reason: PhotoRefusal) {
    super({ code: 'invalid', field: 'file', message: MESSAGES[reason] } satisfies Problem)
    this.reason = reason
  }
}

/**
 * Inspects a photo, and stores the result. Returns true if there are no problems with the photo. Throws PhotoRefused if
 * it is unusable. `sessionHash` identifies the session that can view it.
 */
export async function inspectUploadedPhoto(
  { blobs, db }: Pick<Deps, 'blobs' | 'db'>,
  person: Ref,
  attribute: PersonFile,
  file: UploadedFile,
  sessionHash: Buffer | null,
): Promise<boolean> {
  const look = await inspect({ blobs }, person, attribute, file)
  if ('refused' in look) throw new PhotoRefused(look.refused)
  await recordPhotoInspection(db, file.id, { ...look, sessionHash })
  return look.warnings === undefined || look.warnings.length === 0
}

/** Inspects a photo. Leaves a PDF that can be opened to the reviewer, unless it replaces a selfie. */
function inspect(
  { blobs }: Pick<Deps, 'blobs'>,
  { id, vaultId }: Ref,
  attribute: PersonFile,
  { id: fileId, contentType, readable }: UploadedFile,
): PhotoInspection | { readonly warnings?: undefined } | Promise<PhotoInspection> {
  if (contentType === 'application/pdf')
    return acceptsPdf(attribute) && readable ? {} : { refused: 'unreadable' }
  return decodeFairly({ vaultId, caller: id }, async (decode) =>
    decode('inspectPhoto', await blobs.read(fileId)),
  ).catch((error) => {
    if (isUnreadable(error)) return { refused: 'unreadable' }
    throw error
  })
}
