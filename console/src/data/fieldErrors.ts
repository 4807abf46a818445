import type { Trouble } from '../design/Panel.tsx';
import { explain, type RequestError } from './requestError.ts';

export interface FormErrors<Name extends string> {
  /** The service's text by the field that it names. */
  at: Partial<Record<Name, string>>;
  /** An error that concerns no field of the form. */
  trouble: Trouble | undefined;
}

/** Puts a refusal at the field of the form that the service names first. */
export function formErrors<Name extends string>(
  error: RequestError | undefined,
  names: readonly Name[],
): FormErrors<Name> {
  if (!error) return { at: {}, trouble: undefined };
  const [, named] = /^([A-Za-z]+)\b/.exec(error.message) ?? [];
  const name = error.code === 'BAD_USER_INPUT' ? names.find((each) => each === named) : undefined;
  return name
    ? { at: { [name]: error.message } as Partial<Record<Name, string>>, trouble: undefined }
    : { at: {}, trouble: explain(error) };
}
