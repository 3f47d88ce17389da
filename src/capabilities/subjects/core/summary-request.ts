/** Notes of more than 40 lines, for whoever can put them into words. */
export interface SummaryRequest {
  readonly subject: string
  readonly text: string
  readonly lines: number
  /** SHA-256 of the text as UTF-8, lowercase hexadecimal: a summary holds for exactly that. */
  readonly sha256: string
}
