/** An expectation that did not hold: told in words, without a stack trace. */
export class Unmet extends Error {
  override readonly name = 'Unmet'
}
