import type { ComponentProps, ReactNode } from 'react'

// Whole sets of colours: which of two classes for one property counts is decided by the stylesheet, not by their order.
const looks = {
  primary: 'bg-accent text-accent-ink hover:brightness-95',
  plain: 'text-soft hover:bg-line hover:text-ink',
} as const

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'title'> {
  readonly label: string
  readonly look?: keyof typeof looks
}

/** A button with an icon alone: `label` is its name for screen readers and its tooltip. */
export function IconButton({ label, look = 'plain', className = '', ...rest }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-lg disabled:opacity-50 ${looks[look]} ${className}`}
      {...rest}
    />
  )
}
