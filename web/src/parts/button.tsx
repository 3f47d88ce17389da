import type { ComponentProps, ReactNode } from 'react'

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
