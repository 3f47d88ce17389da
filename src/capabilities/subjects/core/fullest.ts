/**
 * What `make` gives for the largest whole number that still fits, `least` to `most`, found by halving; `undefined` where not
 * even the least does. More room is taken to mean more.
 */
export function fullest<Value>(
  least: number,
  most: number,
  make: (room: number) => Value,
  fits: (value: Value) => boolean,
): Value | undefined {
  let best: Value | undefined
  for (let low = least, high = most; low <= high;) {
    const room = Math.floor((low + high) / 2)
    const value = make(room)
    if (fits(value)) {
      best = value
      low = room + 1
    } else {
      high = room - 1
    }
  }
  return best
}
