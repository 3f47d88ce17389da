const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** How long ago a time was, in its largest whole unit, such as `3 hours ago`. */
export function ageText(time: string, now: Date): string {
  const passed = now.getTime() - Date.parse(time)
  for (const [unit, span] of SPANS) {
    const count = Math.floor(passed / span)
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'} ago`
  }
  return 'just now'
}
