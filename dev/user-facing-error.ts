/** An expectation that did not hold: told in words, without a stack trace. */
export class UserFacingError extends Error {
  override readonly name = 'UserFacingError'
}
