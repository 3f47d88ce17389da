/** Small named values: calibration, settings that the runtime learned. JSON. */
export interface ValueStore {
  /** `invalid` where the value has no JSON. */
  putValue(key: string, value: unknown): Promise<void>
  value(key: string): Promise<unknown>
}
