/** Joins the names of classes; leaves out those that are absent. */
export const classes = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ');
