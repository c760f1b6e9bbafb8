/** The start of a scan of rows in the order of their creation. */
import { NIL } from 'uuid'

export const FIRST_CURSOR: { readonly createdAt: string; readonly id: string } = {
  createdAt: '-infinity',
  id: NIL,
}
