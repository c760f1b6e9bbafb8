/** Presents the verified data. */

import { unixSeconds } from '../../contracts/common.ts'
import type { Verified } from '../../domain/identification/verified.ts'
import { shownSurname } from '../../domain/names/full-name.ts'

export function presentVerified({ profile, by, check, at, photos }: Verified) {
  const of = (name: string) => profile[name] ?? null
  return {
    by,
    check: check && { id: check.id, provider: check.provider },
    at: unixSeconds(at),
    name: of('name'),
    surname: profile.surname === undefined ? null : shownSurname(profile.surname),
    birthdate: of('birthdate'),
    nationality: of('nationality'),
    address: {
      address: of('address'),
      city: of('city'),
      postal_code: of('postal_code'),
      country: of('address_country'),
    },
    document: {
      type: of('document_type'),
      number: of('document_number'),
      country: of('document_country'),
      expires_on: of('document_expires_on'),
      photos: [...photos],
    },
  }
}
