const whole = new Intl.NumberFormat('en')
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** `1,234`. */
export function count(value: number): string {
  return whole.format(value)
}

/** `12.5%` of 1. */
export function percent(value: number): string {
  return share.format(value)
}

/** Money in US dollars, with as many digits as a small price needs: `$0.0042`. */
export function dollars(value: number): string {
  return `$${value === 0 ? '0' : value.toFixed(value >= 1 ? 2 : 1 - Math.floor(Math.log10(value)))}`
}

/** What something costs in US dollars: `free` where that is nothing. */
export function price(value: number): string {
  return value === 0 ? 'free' : dollars(value)
}

/** `1 call` or `1,234 calls`. */
export function callsText(calls: number): string {
  return `${count(calls)} ${calls === 1 ? 'call' : 'calls'}`
}

/** The effect of a cache on a cost in US dollars: `saved $0.0042`. */
export function cacheWords(saved: number): string {
  if (saved < 0) return `cost ${dollars(-saved)} more`
  return `saved ${saved === 0 ? 'nothing' : dollars(saved)}`
}

/** `850 ms` or `3.2 s`. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** The size of a file: `850 B`, `12.5 kB` or `3.2 MB`. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`
  if (value < 1e6) return `${tenths(value / 1e3)} kB`
  return value < 1e9 ? `${tenths(value / 1e6)} MB` : `${tenths(value / 1e9)} GB`
}

function tenths(value: number): string {
  return whole.format(Math.round(value * 10) / 10)
}
