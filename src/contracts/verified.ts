/** Schemas for the verified data, as clients read it. */
import { z } from 'zod'
import { VERIFIERS } from '../domain/identification/record.ts'
import { PROVIDERS } from '../domain/identification/verification-check.ts'
import { described, idParam } from './common.ts'
import { named, unixTime, uuid } from './response.ts'

const said = (description: string, example: string) => described(z.string().nullable(), description, example)

export const photoAttribute = described(
  z.string(),
  'Subject: `document_front`, `document_back`, `selfie`, or the path of a document that the profile adds.',
  'document_front',
)

export const verified = named(
  'VerifiedIdentity',
  z.strictObject({
    by: described(
      z.enum(VERIFIERS),
      'Source of the verification: a verification `provider`, an `operator`, the review of the `application`, or the `client` before an import.',
    ),
    check: z
      .strictObject({
        id: uuid.describe('ID of the check.'),
        provider: z.enum(PROVIDERS).describe('The verification provider.'),
      })
      .nullable()
      .describe('The check that approved the identity. Null if no check decided.'),
    at: unixTime.describe('Time when the verification passed, in Unix seconds.'),
    name: said('First names, or the company’s name.', 'Ada'),
    surname: said('Surname.', 'Lovelace'),
    birthdate: said('Date of birth, YYYY-MM-DD.', '1990-12-10'),
    nationality: said('ISO 3166-1 alpha-2 code, or `XXA` for a stateless person.', 'GB'),
    address: z
      .strictObject({
        address: said('Street and number.', 'St. James’s Square 12'),
        city: said('City.', 'London'),
        postal_code: said('Postcode.', 'SW1Y 4JH'),
        country: said('ISO 3166-1 alpha-2 code.', 'GB'),
      })
      .describe('The address at the time when the verification passed.'),
    document: z
      .strictObject({
        type: said('Document type.', 'passport'),
        number: said('Document number.', 'C01X00T47'),
        country: said('Issuing country, ISO 3166-1 alpha-2 code.', 'GB'),
        expires_on: said('Date of expiry, YYYY-MM-DD. Null if it was not recorded.', '2031-05-04'),
        photos: z
          .array(
            z.strictObject({
              attribute: photoAttribute,
              id: uuid.describe('ID of the photo. Read it with `GET /identifications/{id}/files/{file_id}`.'),
            }),
          )
          .describe('Photos that the person uploaded.'),
      })
      .describe('The identity document.'),
  }),
)

export const verifiedFileParams = z.object({
  id: idParam.describe('ID of the identification.'),
  file_id: idParam.describe('The `id` of one of `verified.document.photos`.'),
})
