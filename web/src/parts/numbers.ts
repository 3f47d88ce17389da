import { language, t } from '../language/language.ts'

const whole = new Intl.NumberFormat(language)
const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
const short = new Intl.NumberFormat(language, { notation: 'compact' })
const tenth = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const all = new Intl.ListFormat(language)
/** English days come first, and hours have 24. */
const dateLanguage = language === 'en' ? 'en-GB' : language

/** `1,234`. */
export function count(value: number): string {
  return whole.format(value)
}

/** `16K` or `1M`. */
export function shortCount(value: number): string {
  return short.format(value)
}

/** `12.5%` of 1. */
export function percent(value: number): string {
  return share.format(value)
}

/** A text of the gateway with its numbers as the language writes them: `1.4 %`. */
export function localNumbers(text: string): string {
  return text.replaceAll(/\d+\.\d+/g, (number) => Number(number).toLocaleString(language))
}

/** Money in US dollars, with as many digits as a small price needs: `$0.0042`. */
export function dollars(value: number): string {
  return money(value, value === 0 ? 0 : value >= 1 ? 2 : Math.min(20, 1 - Math.floor(Math.log10(value))))
}

/** A limit in US dollars, as somebody has set it: `$0.50`, `$0.005`. */
export function limit(value: number): string {
  return money(value, 2, 6)
}

function money(value: number, minimumFractionDigits: number, maximumFractionDigits = minimumFractionDigits): string {
  const digits = { minimumFractionDigits, maximumFractionDigits }
  return value.toLocaleString(language, { style: 'currency', currency: 'USD', ...digits })
}

/** What something costs in US dollars: `free` where that is nothing. */
export function price(value: number): string {
  return value === 0 ? t`free` : dollars(value)
}

/** `1 call` or `1,234 calls`. */
export function callsText(calls: number): string {
  return calls === 1 ? t`1 call` : t`${calls} calls`
}

/** The effect of a cache on a cost in US dollars: `saved $0.0042`. */
export function cacheWords(saved: number): string {
  if (saved < 0) return t`cost ${dollars(-saved)} more`
  return saved === 0 ? t`saved nothing` : t`saved ${dollars(saved)}`
}

/** `850 ms` or `3.2 s`. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${tenth.format(ms / 1_000)} s`
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

/** `one, two and three`. */
export function andText(parts: readonly string[]): string {
  return all.format(parts)
}

const moment: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }

/** `23 Nov 2026, 02:40`, in the time zone of this browser unless the options have another. */
export function timeText(time: string | Date, options = moment): string {
  return new Date(time).toLocaleString(dateLanguage, options)
}

/** `14:02` of today, `3 May, 14:02` of another day. */
export function clockTime(time: string): string {
  const date = new Date(time)
  const isToday = date.toDateString() === new Date().toDateString()
  const day = isToday ? {} : ({ day: 'numeric', month: 'short' } as const)
  return timeText(date, { ...day, hour: '2-digit', minute: '2-digit' })
}
