// The wire protocol of README.md, as serde types.

pub mod request;
pub mod response;
pub mod travel;
pub mod why;
