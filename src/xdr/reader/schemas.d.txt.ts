// The type of schemas.txt, which is imported as text.

declare const text: string;
export default text;
