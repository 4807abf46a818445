/**
 * Descriptions of one type: of its fields, enum values and arguments (`field(argument)`) by name.
 * `_` describes the type itself.
 */
export type TypeTexts = Readonly<Record<string, string>>;

/** Descriptions by type. */
export type Texts = Readonly<Record<string, TypeTexts>>;
