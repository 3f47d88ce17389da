import { type ComponentProps, createElement, type ReactNode } from 'react'

/** The lines of an icon as `lucide-react` has them: elements of an SVG of 24 × 24. */
interface IconData {
  readonly node: readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[]
}

interface IconProps extends ComponentProps<'svg'> {
  readonly size?: number
}

/**
 * Makes the component of an icon: drawn in the colour of the text around it, and not read aloud. The build of the page puts it in
 * the place of the function of the same kind in `lucide-react`.
 */
export default function drawIcon({ node }: IconData): (props: IconProps) => ReactNode {
  return ({ size = 24, ...props }) =>
    createElement(
      'svg',
      {
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        'aria-hidden': true,
        ...props,
      },
      ...node.map(([tag, attributes]) => createElement(tag, attributes)),
    )
}
