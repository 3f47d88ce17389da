import { readFileSync } from 'node:fs'

/** A wall clock that jumps: so many ms ahead of the true one as the file that TEST_CLOCK names has. Loaded before the program. */
const file = process.env.TEST_CLOCK
const RealDate = Date
let offset = 0

const look = () => {
  try {
    offset = Number(readFileSync(file, 'utf8'))
  } catch {
    offset = 0
  }
}
if (file !== undefined) setInterval(look, 200).unref()

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + offset] : given))
  }
  static now() {
    return RealDate.now() + offset
  }
}
