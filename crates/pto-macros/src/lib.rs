//! The attributes `#[pto::kernel]` and `#[pto::names]`; see the crate `pto`.

mod naming;

use proc_macro::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Error, FnArg, ItemFn, Pat, ReturnType, parse_macro_input};

/// Makes a function that describes a kernel into one that returns it.
///
/// `#[pto::kernel] fn add(x: Gm<f32>, y: Gm<f32>) { … }` becomes `fn add() -> pto::tile::Kernel`: calling it traces the
/// body once. Parameters and variables that hold new tiles keep their names in the program. Generic parameters stay: `scale::<64>()`.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    let attribute = proc_macro2::TokenStream::from(attribute);
    let made = if attribute.is_empty() {
        expand(function)
    } else {
        Err(Error::new_spanned(attribute, "`#[pto::kernel]` takes no arguments"))
    };
    made.unwrap_or_else(Error::into_compile_error).into()
}

/// Gives new tiles the names of their variables in a function that kernels call, as `#[pto::kernel]` does in its own.
///
/// ```ignore
/// #[pto::names]
/// fn doubled(x: &View<f32>) -> Tile<Vector, f32, 16, 16> {
///     let mut sum = Tile::new(); // `%sum` in the text
///     tload(&mut sum, x);
///     tadd(&mut sum, Same, Same);
///     sum
/// }
/// ```
#[proc_macro_attribute]
pub fn names(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = parse_macro_input!(item as ItemFn);
    let attribute = proc_macro2::TokenStream::from(attribute);
    if !attribute.is_empty() {
        return Error::new_spanned(attribute, "`#[pto::names]` takes no arguments").into_compile_error().into();
    }
    naming::name_variables(&mut function.block);
    quote! { #function }.into()
}

fn expand(function: ItemFn) -> Result<proc_macro2::TokenStream, Error> {
    let ItemFn { attrs, vis, sig, mut block, .. } = function;
    naming::name_variables(&mut block);
    if let ReturnType::Type(..) = sig.output {
        return Err(Error::new_spanned(sig.output, "a kernel returns nothing: it stores its results to global memory"));
    }
    if let Some(word) = sig.asyncness {
        return Err(Error::new_spanned(word, "a kernel is traced once and cannot be `async`"));
    }
    let names = sig.inputs.iter().map(parameter).collect::<Result<Vec<_>, _>>()?;
    let (name, inputs) = (&sig.ident, &sig.inputs);
    let text = name.to_string();
    let inner = format_ident!("describe_{}", name);
    let (generics, types, bounds) = sig.generics.split_for_impl();
    let turbofish = types.as_turbofish();
    // What is wrong with the kernel as a whole is shown at its name.
    let trace = quote_spanned! { name.span() =>
        ::pto::tile::Kernel::trace_named(#text, &[#(#names),*], #inner #turbofish)
    };
    Ok(quote! {
        #(#attrs)*
        #vis fn #name #generics () -> ::pto::tile::Kernel #bounds {
            fn #inner #generics (#inputs) #bounds #block
            #trace
        }
    })
}

/// The name of a parameter, which must be a plain one.
fn parameter(arg: &FnArg) -> Result<String, Error> {
    match arg {
        FnArg::Receiver(this) => Err(Error::new_spanned(this, "a kernel is not a method")),
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => Ok(name.ident.to_string()),
            other => Err(Error::new_spanned(other, "a parameter of a kernel needs a name")),
        },
    }
}
