/** An expected failure. Commands print its message without a stack trace. */
export class UserFacingError extends Error {
  override readonly name = 'UserFacingError'
}
