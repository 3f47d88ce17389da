declare module 'gifenc' {
  type Palette = readonly (readonly number[])[]

  interface Encoder {
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: {
        readonly palette: Palette
        /** In ms. */
        readonly delay: number
        readonly transparent?: boolean
        readonly transparentIndex?: number
        readonly dispose?: number
      },
    ): void
    finish(): void
    bytes(): Uint8Array
  }

  const gifenc: {
    GIFEncoder(): Encoder
    quantize(rgba: Uint8Array, colors: number): Palette
    applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array
  }
  export default gifenc
}
