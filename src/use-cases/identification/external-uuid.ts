/** Refuses an ID of the client's own that another identification of its vault has. */
import { findIdentificationByExternalUuid } from '../../db/cases/identification.ts'
import { findKybOfIdentification } from '../../db/cases/kyb-application.ts'
import type { Database } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { identificationStatus } from '../../domain/identification/identification.ts'

/** The name of the field in which the client sends its ID. */
type IdField = 'external_id' | 'external_uuid'

/** Throws `external_id_taken` or `external_uuid_taken`. The message names what has the ID, and its state. */
export async function refuseTaken(
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
  const message = `This ${field} belongs to the ${holder}. Use that one, or send another ${field}.`
  throw new RequestRefused({ code: `${field}_taken`, field, ...(holder && { message }) })
}
