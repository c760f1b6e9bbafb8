/** Where a look begins that goes through rows in the order of their creation. */
import { NIL } from 'uuid'

export const FIRST_CURSOR: { readonly createdAt: string; readonly id: string } = {
  createdAt: '-infinity',
  id: NIL,
}
