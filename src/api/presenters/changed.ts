/** Presents changed resources. Callers without `api_read` get only the fields that identify the resource. */
import { type Caller, visibilityFor } from '../../use-cases/access/caller.ts'

export function presentChanged<T extends object, K extends keyof T>(
  caller: Caller,
  vaultId: string,
  shown: T,
  envelope: readonly K[],
): T | Pick<T, K> {
  if (visibilityFor(caller, vaultId).content) return shown
  return Object.fromEntries(envelope.map((field) => [field, shown[field]])) as Pick<T, K>
}
