/** Moves the clock of a process CLOCK_SHIFT_MS ahead of the machine's clock. Loaded before the code of the process. */
const shift = Number(process.env.CLOCK_SHIFT_MS)
const RealDate = Date
const now = () => RealDate.now() + shift

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given))
  }
  static now = now
}
