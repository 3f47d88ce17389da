export interface ResponseEvent extends Readonly<Record<string, unknown>> {
  readonly type: string
}
