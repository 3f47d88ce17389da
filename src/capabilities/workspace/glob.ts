/** The most alternatives that braces may produce, and the most braces that are expanded. */
const MOST_ALTERNATIVES = 100
const MOST_BRACES = 100

/**
 * `*` and `?` within a name, `**` for any folders, `{a,b}` for alternatives. A pattern without `/` fits a name in any
 * folder. The time is proportional to the lengths of pattern and path.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const patterns = alternatives(glob).map((one) => {
    const segments = one.split('/').filter((segment) => segment !== '' && segment !== '.')
    return segments.length === 1 ? ['**', ...segments] : segments
  })
  return (path) => {
    const names = path.split('/')
    return patterns.some((segments) =>
      fitsSequence(segments.length, names.length, {
        isStar: (index) => segments[index] === '**',
        isSame: (index, place) => fitsName(Array.from(segments[index]!), Array.from(names[place]!)),
      }),
    )
  }
}

/** A pattern without its braces, once for each choice; as it is where there are too many of them. */
function alternatives(glob: string): readonly string[] {
  let open = [glob]
  const done: string[] = []
  if (glob.split('{').length > MOST_BRACES) return [glob]
  while (open.length > 0) {
    if (open.length + done.length > MOST_ALTERNATIVES) return [glob]
    open = open.flatMap((one) => {
      const choice = /\{([^{}]*)\}/.exec(one)
      if (choice) return choice[1]!.split(',').map((word) => one.replace(choice[0], () => word))
      done.push(one)
      return []
    })
  }
  return done
}

function fitsName(pattern: readonly string[], name: readonly string[]): boolean {
  return fitsSequence(pattern.length, name.length, {
    isStar: (index) => pattern[index] === '*',
    isSame: (index, place) => pattern[index] === '?' || pattern[index] === name[place],
  })
}

interface Comparison {
  readonly isStar: (index: number) => boolean
  readonly isSame: (index: number, place: number) => boolean
}

/** Whether a pattern with stars fits: only the last star ever grows, so nothing is tried twice. */
function fitsSequence(patternLength: number, length: number, { isStar, isSame }: Comparison): boolean {
  let [index, place] = [0, 0]
  let [star, taken] = [-1, 0]
  while (place < length) {
    if (index < patternLength && isStar(index)) {
      star = index
      taken = place
      index += 1
    } else if (index < patternLength && isSame(index, place)) {
      index += 1
      place += 1
    } else if (star !== -1) {
      taken += 1
      place = taken
      index = star + 1
    } else return false
  }
  while (index < patternLength && isStar(index)) index += 1
  return index === patternLength
}
