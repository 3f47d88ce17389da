import type { ComponentProps, ReactNode } from 'react'

/** A button with an icon alone: `label` is its name for screen readers and its tooltip. */
export function IconButton({
  label,
  className = '',
  ...rest
}: Omit<ComponentProps<'button'>, 'aria-label' | 'title'> & { readonly label: string }): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-soft hover:bg-line hover:text-ink disabled:opacity-50 ${className}`}
      {...rest}
    />
  )
}
