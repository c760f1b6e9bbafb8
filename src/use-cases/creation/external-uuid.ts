/** Refuses a client's own ID if another identification in the vault already has it. */
import { findIdentificationByExternalUuid } from '../../db/cases/identification.ts'
import { findKybOfIdentification } from '../../db/cases/kyb-application.ts'
import type { Database } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { identificationStatus } from '../../domain/identification/identification.ts'

/** The name of the field in which the client sends its ID. */
type IdField = 'external_id' | 'external_uuid'

/** Returns the error for an external ID or external UUID that is taken. */
export const takenId = (field: IdField): RequestRefused =>
  new RequestRefused({ code: `${field}_taken`, field })

export const isTakenId = (error: unknown): boolean =>
  error instanceof RequestRefused &&
  error.problems.some(({ code }) => code === 'external_id_taken' || code === 'external_uuid_taken')

/**
 * Throws `external_id_taken` or `external_uuid_taken` if the ID is taken. The message names the resource that has
 * the ID, and its status.
 */
export async function refuseTakenId(
  db: Database,
  vaultId: string,
  field: IdField,
  value: string,
): Promise<never> {
  const identification = await findIdentificationByExternalUuid(db, vaultId, value)
  const kyb = identification && (await findKybOfIdentification(db, vaultId, identification.id))
  const holder = kyb
    ? `application ${kyb.id}, which is ${kyb.status}`
    : identification &&
      `identification ${identification.id}, which is ${identificationStatus(identification.state)}`
  if (!holder) throw takenId(field)
  const message = `This ${field} belongs to the ${holder}. Use that one, or send another ${field}.`
  throw new RequestRefused({ code: `${field}_taken`, field, message })
}

/** Throws the error again. If the ID is taken, the message names the resource that has it, and its status. */
export async function rethrowWithHolder(
  error: unknown,
  db: Database,
  vaultId: string,
  field: IdField,
  value: string,
): Promise<never> {
  if (isTakenId(error)) return refuseTakenId(db, vaultId, field, value)
  throw error
}
