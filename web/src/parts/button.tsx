import { type ComponentProps, type ReactNode } from 'react'

const looks = {
  primary: 'bg-accent text-accent-ink hover:brightness-95',
  plain: 'border border-line bg-raised hover:border-strong-line',
  danger: 'border border-bad text-bad hover:bg-bad hover:text-ground',
} as const

export function Button({
  look = 'primary',
  className = '',
  type = 'button',
  ...rest
}: ComponentProps<'button'> & { readonly look?: keyof typeof looks }): ReactNode {
  return (
    <button
      type={type}
      className={`inline-flex items-center justify-center gap-2 rounded-lg px-3 py-1.5 text-sm font-medium transition-colors disabled:opacity-50 ${looks[look]} ${className}`}
      {...rest}
    />
  )
}

// Whole sets of colours: which of two classes for one property counts is decided by the stylesheet, not by their order.
const iconLooks = {
  primary: 'bg-accent text-accent-ink hover:brightness-95',
  plain: 'text-soft hover:bg-line hover:text-ink',
} as const

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'title'> {
  readonly label: string
  readonly look?: keyof typeof iconLooks
}

/** A button with an icon alone: `label` is its name for screen readers and its tooltip. */
export function IconButton({ label, look = 'plain', className = '', ...rest }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-lg disabled:opacity-50 ${iconLooks[look]} ${className}`}
      {...rest}
    />
  )
}
